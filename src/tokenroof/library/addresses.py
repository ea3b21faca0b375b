"""URLs and addresses: which are asked, which lie inside a network, and how they are shown."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit, urlunsplit

from tokenroof.errors import UsageError
from tokenroof.safetext import printable

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def check_url(url: str) -> None:
    """Make sure that a URL is one that we ask.

    Raises:
        UsageError: another scheme, or no host.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
        usable = usable and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(c.isspace() or not c.isprintable() for c in url):
        raise UsageError("library.bad_url", name=shown(url))


def origin(url: str) -> str:
    """Scheme, host and port of a URL, each written out: what a secret belongs to."""
    parts = urlsplit(url)
    port = parts.port or {"https": 443, "http": 80}.get(parts.scheme, 0)
    return f"{parts.scheme}://{(parts.hostname or '').rstrip('.')}:{port}"


def shown(url: str) -> str:
    """A URL as a message shows it: no user, no password, no signed query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return printable(url, 200)
    bare = parts.netloc.rpartition("@")[2]
    return printable(urlunsplit((parts.scheme, bare, parts.path, "", "")), 200)


def is_inward(text: str) -> bool:
    """Whether an address lies inside a machine or a network, where strangers have no say."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_inward(str(inner))
    return not address.is_global or address.is_multicast


def addresses(host: str, port: int) -> list[str]:
    """All that a name means now.

    Raises:
        OSError: nothing, at the moment.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


def is_proxied(url: str) -> bool:
    """Whether a proxy of the environment asks in our place; then names mean what it knows."""
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(url)
    proxies = getproxies()
    return bool(proxies.get(parts.scheme) or proxies.get("all")) and not proxy_bypass(
        parts.hostname or ""
    )
