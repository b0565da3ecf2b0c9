// Runs beside a browser in a network namespace without a way out: hands connections to 127.0.0.1:<port> over a Unix
// socket, and reports how many packets were sent besides.
import { createSocket } from 'node:dgram';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const ACCEPT_MAX_MS = 10_000;

const [port, socketPath, readyPath] = process.argv.slice(2);
let relayed = 0;

const relay = createServer((browser) => {
  relayed += 1;
  const proxy = connect(socketPath);
  proxy.write('relay\n');
  browser.pipe(proxy).pipe(browser);
  for (const [from, to] of [
    [browser, proxy],
    [proxy, browser],
  ]) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
  }
});

/** Connections that were opened and datagrams that were sent in this namespace, without those to the relay. */
function packetsBeside() {
  const snmp = readFileSync('/proc/self/net/snmp', 'utf8');
  const snmp6 = readFileSync('/proc/self/net/snmp6', 'utf8');
  const counter = (protocol, name) => {
    const [names, values] = snmp.split('\n').filter((line) => line.startsWith(`${protocol}: `));
    return Number(values.split(' ')[names.split(' ').indexOf(name)]);
  };
  return {
    connections: counter('Tcp', 'ActiveOpens') - relayed,
    datagrams:
      counter('Udp', 'OutDatagrams') + Number(/^Udp6OutDatagrams\s+(\d+)$/m.exec(snmp6)?.[1] ?? Number.NaN),
    relayed,
  };
}

/** The kernel counts a connection to the relay before the relay accepts it; one beside it stays counted. */
async function whenAllAreAccepted() {
  const deadlineMs = performance.now() + ACCEPT_MAX_MS;
  while (packetsBeside().connections > 0 && performance.now() < deadlineMs) await sleep(100);
}

/** Sends one datagram and opens one connection of each family, so that the counters are seen to count. */
async function leak() {
  for (const [family, host] of [
    ['udp4', '198.18.0.1'],
    ['udp6', '2001:db8::1'],
  ]) {
    const socket = createSocket(family);
    await new Promise((sent) => socket.send('x', 53, host, sent));
    socket.close();
    await new Promise((ended) =>
      connect(80, host)
        .on('error', () => {})
        .on('close', ended),
    );
  }
}

relay.listen(Number(port), '127.0.0.1', () => {
  const control = connect(socketPath, () => {
    control.write('control\n');
    writeFileSync(readyPath, '');
  });
  control.on('close', () => process.exit(0));
  control.on('error', () => process.exit(0));
  control.setEncoding('utf8').on('data', async (command) => {
    if (command.includes('leak')) await leak();
    else await whenAllAreAccepted();
    control.write(`${JSON.stringify(packetsBeside())}\n`);
  });
});
