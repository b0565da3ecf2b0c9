// EVENT_SECRET=whsec_… PORT=3000 node events.mjs    behind a proxy that ends TLS
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const KEY = Buffer.from((process.env.EVENT_SECRET ?? '').replace(/^whsec_/, ''), 'base64');
const BODY_BYTES_MAX = 64 * 1024;
const TOLERANCE_SECONDS = 300;
if (KEY.length === 0) throw new Error('EVENT_SECRET is not set');

/** Ids of handled events. Store them in your database, in the transaction that handles the event. */
const handled = new Set();

function isSigned({ 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': given = '' }, body) {
  if (!/^\d+$/.test(sentAt) || Math.abs(Date.now() / 1000 - sentAt) > TOLERANCE_SECONDS) return false;
  const expected = createHmac('sha256', KEY).update(`${id}.${sentAt}.`).update(body).digest();
  return given.split(' ').some((one) => {
    const signature = Buffer.from(one.startsWith('v1,') ? one.slice(3) : '', 'base64');
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}

function handle({ type, data }) {
  console.log(type, data.id);
}

createServer(async (request, response) => {
  const chunks = [];
  let bytes = 0;
  try {
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
    }
  } catch {
    return; // the connection broke off
  }
  const body = Buffer.concat(chunks);
  const id = request.headers['webhook-id'];
  if (bytes > BODY_BYTES_MAX) response.statusCode = 413;
  else if (!isSigned(request.headers, body)) response.statusCode = 401;
  else {
    response.statusCode = 204;
    if (!handled.has(id)) handle(JSON.parse(body));
    handled.add(id);
  }
  response.end();
}).listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
