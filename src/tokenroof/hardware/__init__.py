"""Devices, their bandwidths, and this machine.

`device` says what a device is and which bandwidth bounds a run; `machine`, `cpu` and `cgroup`
look at this machine; `bandwidth`, by the threads in `readers`, measures what its processor reads;
`nvml` finds NVIDIA GPUs.
"""
