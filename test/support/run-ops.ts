import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

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
