import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

const DAY_MS = 24 * 60 * 60 * 1000;
const VALID_DAYS = 365;
const SERIAL_BYTES = 16;
const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A certificate authority for loopback only: development, the demo receiver and tests. */
export interface CertificateAuthority {
  /** PEM for clients that should trust it. */
  certificatePem: string;
  certificate: x509.X509Certificate;
  keys: CryptoKeyPair;
}

/** A server's certificate and private key, PEM. */
export interface ServerCertificate {
  certificatePem: string;
  privateKeyPem: string;
}

type CryptoKeyPair = webcrypto.CryptoKeyPair;

/** Creates an authority whose key exists only in this process. */
export async function createCertificateAuthority(
  name = 'Development authority',
): Promise<CertificateAuthority> {
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(),
    name: `CN=${name}`,
    keys,
    signingAlgorithm: KEY_ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false),
    ],
  });
  return { certificatePem: certificate.toString('pem'), certificate, keys };
}

/** Issues a server certificate for host names and addresses. `expired` issues an expired one. */
export async function issueCertificate(
  authority: CertificateAuthority,
  hosts: string[],
  { expired = false }: { expired?: boolean } = {},
): Promise<ServerCertificate> {
  const keys = await generateKeys();
  const names = hosts.map((host) => ({ type: isIP(host) === 0 ? 'dns' : 'ip', value: host }) as const);
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(expired ? -VALID_DAYS * DAY_MS * 2 : 0),
    subject: `CN=${hosts[0]}`,
    issuer: authority.certificate.subject,
    publicKey: keys.publicKey,
    signingKey: authority.keys.privateKey,
    signingAlgorithm: KEY_ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names),
      await x509.AuthorityKeyIdentifierExtension.create(authority.keys.publicKey, false),
    ],
  });
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certificatePem: certificate.toString('pem'),
    privateKeyPem: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'),
  };
}

async function generateKeys(): Promise<CryptoKeyPair> {
  return webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
}

/** From yesterday, so that a slightly slow clock accepts it too. */
function validity(shiftMs = 0): { serialNumber: string; notBefore: Date; notAfter: Date } {
  const now = Date.now() + shiftMs;
  return {
    // The first bit is clear, because serial numbers are positive.
    serialNumber: `01${randomBytes(SERIAL_BYTES).toString('hex')}`,
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + VALID_DAYS * DAY_MS),
  };
}
