// A helper: the least that Node can do with the same request: parse the JSON, answer a body of the same size.
import { createServer } from 'node:http';
import { answerCalls } from './helper.mjs';

const ID = '00000000-0000-7000-8000-000000000000';

answerCalls({
  listen: async () => {
    const server = createServer((request, response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const { action } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
        const body = JSON.stringify({ id: ID, receivedAt: action, duplicate: false });
        response
          .writeHead(201, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
          .end(body);
      });
    });
    await new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve(undefined));
    });
    const address = server.address();
    return { baseUrl: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}` };
  },
});
