"""Delays, loses and duplicates what leaves a network namespace, like `tc netem`, which many kernels lack.

Runs in the namespace of a part. Packets that the part sends take a detour through a TUN device, where this program
holds them; then the kernel forwards them as usual. Ends with SIGTERM, and the detour with it.
"""

import argparse
import fcntl
import heapq
import os
import random
import select
import signal
import struct
import subprocess
import sys
import time

TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001
IFF_NO_PI = 0x1000
DEVICE = "detour"
TABLE = "100"
PACKET_BYTES_MAX = 65536

parser = argparse.ArgumentParser()
parser.add_argument("--address", required=True)
parser.add_argument("--delay", type=float, default=0, help="milliseconds")
parser.add_argument("--jitter", type=float, default=0, help="milliseconds, both ways")
parser.add_argument("--loss", type=float, default=0, help="percent")
parser.add_argument("--duplicate", type=float, default=0, help="percent")
options = parser.parse_args()


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


def setting(name, value):
    with open(f"/proc/sys/net/ipv4/{name}", "w") as file:
        file.write(value)


tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH", DEVICE.encode(), IFF_TUN | IFF_NO_PI))
setting("ip_forward", "1")
# Packets come back with this machine's own address as their source.
setting(f"conf/{DEVICE}/accept_local", "1")
setting("conf/all/rp_filter", "0")
setting(f"conf/{DEVICE}/rp_filter", "0")
# No ICMP redirect may tell anyone of a shorter way.
setting("conf/all/send_redirects", "0")
ip("link", "set", DEVICE, "mtu", "1500", "up")
ip("route", "add", "default", "dev", DEVICE, "src", options.address, "table", TABLE)
ip("rule", "add", "iif", "lo", "from", options.address, "lookup", TABLE)
ip("rule", "add", "iif", "lo", "to", "10.91.0.0/24", "lookup", TABLE)


def end(*_):
    subprocess.run(["ip", "rule", "del", "lookup", TABLE])
    subprocess.run(["ip", "rule", "del", "lookup", TABLE])
    sys.exit(0)


signal.signal(signal.SIGTERM, end)
print("ready", flush=True)

queue = []
count = 0
while True:
    wait = max(0.0, queue[0][0] - time.monotonic()) if queue else None
    readable, _, _ = select.select([tun], [], [], wait)
    if readable:
        packet = os.read(tun, PACKET_BYTES_MAX)
        copies = 0 if random.random() * 100 < options.loss else 1
        copies += 1 if random.random() * 100 < options.duplicate else 0
        for _ in range(copies):
            delay = options.delay + random.uniform(-options.jitter, options.jitter)
            count += 1
            heapq.heappush(queue, (time.monotonic() + delay / 1000, count, packet))
    now = time.monotonic()
    while queue and queue[0][0] <= now:
        os.write(tun, heapq.heappop(queue)[2])
