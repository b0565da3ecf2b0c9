import { execFileSync } from 'node:child_process';

/** Whether a program can be run here, with these arguments. */
export function isThere(command: string, given: string[] = ['--version']): boolean {
  try {
    execFileSync(command, given, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
