import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { fillInSecrets } from '../../src/standalone/secrets.js';
import { testSettings } from '../support/programs/service.js';

const settings = testSettings('postgres://localhost/x', { SECRET_KEYS: '', AUTH_SECRET: '' });
const { dataDir } = settings.service;
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

it('writes generated secrets to a file that only its owner can read, once', () => {
  const first = fillInSecrets(settings).settings;
  const modeOf = (path: string): number => statSync(path).mode & 0o777;
  expect([modeOf(dataDir), modeOf(join(dataDir, 'secrets.json'))]).toEqual([0o700, 0o600]);
  const again = fillInSecrets(settings).settings;
  expect([again.access.authSecret, again.secrets]).toEqual([first.access.authSecret, first.secrets]);
  expect(first.access.authSecret.length).toBeGreaterThan(32);
});
