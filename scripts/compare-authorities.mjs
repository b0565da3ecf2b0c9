// Prints certificate authorities that the service still trusts and that a newer list no longer has:
//   node scripts/compare-authorities.mjs --before OLD.pem --after NEW.pem
// Lists are PEM files such as Debian's /etc/ssl/certs/ca-certificates.crt; --before may be repeated. Without it, all of
// Node's own list counts. Exit code 1: there are some. Judge each, and add it to src/platform/network/trusted-roots.ts or leave it.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { parseArgs } from 'node:util';
import { hashPublicKey, REMOVED_AUTHORITIES, splitPem } from '../src/platform/network/trusted-roots.ts';

const { values } = parseArgs({
  options: { before: { type: 'string', multiple: true, default: [] }, after: { type: 'string' } },
});
if (!values.after) {
  console.error('Usage: node scripts/compare-authorities.mjs [--before OLD.pem]… --after NEW.pem');
  process.exit(2);
}

const keysOf = (file) => {
  const keys = splitPem(readFileSync(file, 'utf8')).map(hashPublicKey);
  if (keys.length === 0) throw new Error(`${file} contains no certificate.`);
  return new Set(keys);
};

const listed = new Set(REMOVED_AUTHORITIES.map(({ publicKeySha256 }) => publicKeySha256));
const before = values.before.map(keysOf);
const after = keysOf(values.after);
let found = 0;
for (const pem of tls.getCACertificates('bundled')) {
  const key = hashPublicKey(pem);
  const wasThere = before.length === 0 || before.some((keys) => keys.has(key));
  if (listed.has(key) || after.has(key) || !wasThere) continue;
  const { subject, validTo } = new X509Certificate(pem);
  console.log(`${subject.split('\n').join(', ')}\n  public key ${key}, valid until ${validTo}`);
  found += 1;
}
console.log(`${found} of Node ${process.version}'s authorities were removed from ${values.after}.`);
process.exitCode = found > 0 ? 1 : 0;
