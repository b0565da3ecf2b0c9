import { rmSync } from 'node:fs';

export default async function globalTeardown() {
  const { server, folder } = globalThis.__testDatabase;
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
