# SPDX-License-Identifier: BSD-3-Clause
"""The links of a cluster: a bridge in a namespace of its own, a rate-limited veth pair per node.

Nothing here touches the machine's own interfaces: every device is made inside the hub's namespace.
"""

import contextlib
import json

from plait.lab import delay
from plait.lab.inside import call
from plait.lab.spec import LINK_BURST_BYTES
from plait.lab.state import Lab

# Measured: a latency of 2 ms loses rate at 1 Gbit/s; this does not.
_TBF_TAIL = f"burst {LINK_BURST_BYTES} latency 100ms"


def build(lab: Lab) -> None:
    """Make the namespaces, the bridge and the links."""
    for namespace in lab.namespaces:
        call(lab, ["ip", "netns", "add", namespace])
        call(lab, ["ip", "-n", namespace, "link", "set", "lo", "up"])
    call(lab, ["ip", "-n", lab.hub, "link", "add", "name", "br0", "type", "bridge"])
    call(lab, ["ip", "-n", lab.hub, "link", "set", "br0", "up"])
    _plug(lab, lab.head, "head", lab.head_address, False)
    netem = bool(lab.spec.delay_s) and delay.kernel_delays(lab)
    ports = [f"n{index}" for index in range(lab.spec.nodes)]
    if has_line := bool(lab.spec.delay_s) and not netem:
        delay.start_line(lab, ports)
    for index, port in enumerate(ports):
        _plug(lab, lab.node(index), port, lab.address(index), has_line)
        _let_ends_go(lab, lab.node(index))
        _limit(lab, lab.node(index), "eth0", lab.spec.delay_s if netem else 0)
        _limit(lab, lab.hub, port)


def _plug(lab: Lab, namespace: str, port: str, address: str, has_line: bool) -> None:
    """Join a namespace to the bridge, as its eth0: by a delay line's devices or a new pair."""
    if has_line:
        made = f"link set {port}x netns {namespace} name eth0"
    else:
        made = f"link add name {port} type veth peer name eth0 netns {namespace}"
    hub = [made, f"link set {port} master br0", f"link set {port} up"]
    # Acknowledged at once: see _let_ends_go.
    route = f"route replace {lab.subnet} dev eth0 proto kernel scope link src {address} quickack 1"
    inside = [f"addr add {address}/24 brd + dev eth0", "link set eth0 up", route]
    call(lab, ["ip", "-n", lab.hub, "-batch", "-"], "\n".join(hub) + "\n")
    call(lab, ["ip", "-n", namespace, "-batch", "-"], "\n".join(inside) + "\n")


def _let_ends_go(lab: Lab, namespace: str) -> None:
    """Send the end of a message at once, where the kernel lets that be set.

    Linux holds segments back while earlier ones are on their way through the device. A network card
    soon tells that it has sent them. Here that is told when the receiver has them, and for some
    messages not at all: their end waits for the receiver's acknowledgement, which may come 40 ms
    late. Short segments are held by corking, which is switched off here; others too, where
    acknowledgements have been late before, and so none is delayed.
    """
    setting = ["sh", "-c", "echo 0 > /proc/sys/net/ipv4/tcp_autocorking"]
    with contextlib.suppress(OSError):
        call(lab, ["ip", "netns", "exec", namespace, *setting])


def _limit(lab: Lab, namespace: str, device: str, delay_s: float = 0) -> None:
    """Limit what leaves a device, and delay it; a message leaves one node once."""
    add = ["tc", "-n", namespace, "qdisc", "add", "dev", device]
    place = ["root"]
    if delay_s:
        netem = f"root handle 1: netem delay {delay_s * 1e6:.0f}us limit 100000"
        call(lab, [*add, *netem.split()])
        place = ["parent", "1:1", "handle", "10:"]
    call(lab, [*add, *place, "tbf", "rate", f"{lab.spec.rate_bps}bit", *_TBF_TAIL.split()])


def counters(lab: Lab, index: int) -> dict[str, int]:
    """Bytes a node has sent and received over its link, TCP segments it has sent again, and how
    often it did so because nothing had come back for 200 ms or more.
    """
    text = call(lab, ["ip", "-n", lab.node(index), "-j", "-s", "link", "show", "eth0"])
    stats = json.loads(text)[0]["stats64"]
    files = ["/proc/net/snmp", "/proc/net/netstat"]
    lines = call(lab, ["ip", "netns", "exec", lab.node(index), "cat", *files]).splitlines()
    kernel: dict[str, str] = {}
    for names, numbers in zip(lines[::2], lines[1::2]):
        if names.startswith(("Tcp:", "TcpExt:")):
            kernel |= zip(names.split(), numbers.split())
    return {
        "sent": stats["tx"]["bytes"],
        "received": stats["rx"]["bytes"],
        "sent_again": int(kernel["RetransSegs"]),
        "timeouts": int(kernel["TCPTimeouts"]),
    }
