/**
 * In a network namespace, makes every address this machine. Browsers send nothing for WebRTC without an interface
 * beside loopback; not every kernel has each kind.
 */
export const EVERY_ADDRESS = `set -e
ip link set lo up
for kind in dummy bridge ifb; do ip link add net0 type $kind 2>/dev/null && break; done
ip addr add 192.0.2.10/32 dev net0
ip link set net0 up
ip route add local 0.0.0.0/0 dev lo
ip -6 route add local ::/0 dev lo`;
