import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { TestService } from './service.js';

export interface Outcome {
  code: number;
  out: string;
  err: string;
}

/** Runs a program of `dist` with nothing of this process's environment but PATH and HOME. */
export async function runProgram(
  program: string,
  args: string[],
  environment: NodeJS.ProcessEnv,
): Promise<Outcome> {
  const { PATH, HOME } = process.env;
  try {
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', `dist/${program}.js`, ...args],
      { env: { PATH, HOME, NODE_ENV: 'production', ...environment } },
    );
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

/** Runs `ops evidence` on the database and the storage of a test's service. `keys`: as in EVIDENCE_KEYS. */
export function runEvidence(
  service: TestService,
  { keys, environment = {} }: { keys: string; environment?: NodeJS.ProcessEnv },
  args: string[],
): Promise<Outcome> {
  return runProgram('ops', ['evidence', ...args], {
    NODE_ENV: 'test',
    DATABASE_URL: service.database.url,
    DATA_DIR: service.settings.service.dataDir,
    PUBLIC_BASE_URL: service.baseUrl,
    EVIDENCE_KEYS: keys,
    SECRET_KEYS: keys,
    AUTH_SECRET: 'x'.repeat(32),
    LOG_LEVEL: 'silent',
    ...environment,
  });
}
