import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHelper } from './helper.mjs';

/**
 * @typedef {import('./helper.mjs').Helper & { port: number, target: string, caFile: string, url: (path: string) => string }} Receiver
 */

/**
 * Starts receivers that one authority vouches for, a process each: a hanging one takes nothing from a
 * healthy one.
 * @param {import('./scope.mjs').Scope} scope
 * @param {number} count
 * @returns {Promise<Receiver[]>}
 */
export async function startReceivers(scope, count) {
  const caFile = join(scope.folder, 'receiver-ca.pem');
  const helpers = await Promise.all(Array.from({ length: count }, () => startHelper(scope, 'receiver')));
  const { caPem, certificate } = await helpers[0].call('makeCertificate');
  writeFileSync(caFile, caPem);
  return Promise.all(
    helpers.map(async (helper) => {
      const { port } = await helper.call('listen', { certificate });
      const target = `127.0.0.1:${port}`;
      return { ...helper, port, target, caFile, url: (path) => `https://${target}${path}` };
    }),
  );
}
