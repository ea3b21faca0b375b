"""Whether a Linux system runs in something: a container, WSL, a virtual machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tokenroof.hardware.sources.files import text

_HYPERVISORS = {
    "qemu": "QEMU/KVM",
    "kvm": "QEMU/KVM",
    "vmware": "VMware",
    "virtualbox": "VirtualBox",
    "innotek": "VirtualBox",
    "xen": "Xen",
    "microsoft corporation virtual machine": "Hyper-V",
    "amazon ec2": "Amazon EC2",
    "google compute engine": "Google Compute Engine",
    "openstack": "OpenStack",
    "parallels": "Parallels",
}
"""What makers of virtual machines write where others write the board's name."""


def container(root: Path = Path("/"), environment: Mapping[str, str] | None = None) -> str | None:
    """What kind of container this is, WSL among them; None where nothing says that it is one."""
    environment = os.environ if environment is None else environment
    if "microsoft" in (text(root / "proc/sys/kernel/osrelease") or "").lower():
        return "WSL"
    if environment.get("KUBERNETES_SERVICE_HOST"):
        return "Kubernetes"
    if (root / "run/.containerenv").exists():
        return "Podman"
    if (root / ".dockerenv").exists():
        return "Docker"
    return text(root / "run/systemd/container") or environment.get("container") or None


def virtual_machine(root: Path = Path("/"), board: str | None = None) -> str | None:
    """Whose virtual machine this is; None where nothing says that it is one.

    Args:
        board: the board's name, where the firmware tells.
    """
    told = (board or "").lower()
    for mark, name in _HYPERVISORS.items():
        if mark in told:
            return name
    kind = text(root / "sys/hypervisor/type")
    if kind is not None:
        return _HYPERVISORS.get(kind, kind)
    flags = next(
        (
            line
            for line in (text(root / "proc/cpuinfo") or "").splitlines()
            if line.startswith("flags")
        ),
        "",
    )
    return "?" if "hypervisor" in flags.split() else None
