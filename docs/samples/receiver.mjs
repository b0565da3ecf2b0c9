// CONSENT_TOKEN=… CONSENT_FOLDER=records node receiver.mjs
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';

const { CONSENT_TOKEN, CONSENT_SIGNING_SECRET = '', CONSENT_FOLDER = 'records', PORT = '8443' } = process.env;
const BODY_BYTES_MAX = 64 * 1024;
const TOLERANCE_SECONDS = 300;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const digest = (text) => createHash('sha256').update(text).digest();
const expected = digest(`Bearer ${CONSENT_TOKEN}`);
const signingKey = Buffer.from(CONSENT_SIGNING_SECRET.replace('whsec_', ''), 'base64');

createServer(
  { key: readFileSync('key.pem'), cert: readFileSync('cert.pem'), requestTimeout: 20_000 },
  async (request, response) => {
    let status = 500;
    try {
      status = await receive(request);
    } catch (error) {
      console.error(error); // a failed store, or a connection that broke off
    }
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(status === 204 ? undefined : JSON.stringify({ error: `answered ${status}` }));
  },
).listen(Number(PORT));

/** The status to answer. Throws where the body breaks off or the record cannot be stored. */
async function receive(request) {
  if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) return 401;
  if (!(Number(request.headers['content-length']) <= BODY_BYTES_MAX)) return 413;
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (CONSENT_SIGNING_SECRET && !isSigned(request.headers, body)) return 401;
  const record = parse(body);
  const [, prefix, id] = /^(erase_)?(.*)$/.exec(request.headers['webhook-id'] ?? '');
  const isErasure = prefix !== undefined;
  if (!ID.test(id) || record?.id !== id || (record.action === 'erase') !== isErasure) return 400;
  if (record.action === 'test' && record.test === true) return 204;
  await store(`${id}.${isErasure ? 'erased' : 'json'}`, body);
  if (existsSync(join(CONSENT_FOLDER, `${id}.erased`)))
    await rm(join(CONSENT_FOLDER, `${id}.json`), { force: true });
  return 204;
}

function isSigned({ 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': given = '' }, body) {
  if (!(Math.abs(Date.now() / 1000 - Number(sentAt)) <= TOLERANCE_SECONDS)) return false;
  const signature = createHmac('sha256', signingKey).update(`${id}.${sentAt}.`).update(body).digest('base64');
  return given.split(' ').some((one) => timingSafeEqual(digest(one), digest(`v1,${signature}`)));
}

function parse(body) {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}

/** Whole or not at all; the same record again replaces itself. */
async function store(name, body) {
  const temporary = join(CONSENT_FOLDER, `.${name}.${randomUUID()}`);
  const file = await open(temporary, 'wx');
  try {
    await file.writeFile(body);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, join(CONSENT_FOLDER, name));
}
