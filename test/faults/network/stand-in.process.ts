// The fake S3 or the name server, in a separate process. Sends its address to the parent once it listens.
import { startDnsServer } from '../../support/fakes/dns-server.js';
import { startS3 } from '../../support/fakes/s3.js';

const DNS_PORT = 53;
const FORGET_EVERY_MS = 1_000;

const { LAB_STAND_IN: kind = '', LAB_ADDRESS: address = '', LAB_NAMES: names = '{}' } = process.env;

async function start(): Promise<string> {
  if (kind === 'dns') {
    const dns = await startDnsServer(JSON.parse(names), { address, port: DNS_PORT });
    setInterval(() => dns.queries.splice(0), FORGET_EVERY_MS);
    return dns.address;
  }
  const s3 = await startS3('evidence', address);
  setInterval(() => s3.requests.splice(0), FORGET_EVERY_MS);
  return s3.url;
}

const listensAt = await start();
process.once('disconnect', () => process.exit(0));
process.send?.(listensAt);
