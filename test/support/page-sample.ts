import { execFileSync } from 'node:child_process';

/** The code below a heading of a page, as it stands there. */
export function sampleOf(page: string, heading: string, language: string): string {
  const code = new RegExp(`### ${heading}\\n[^]*?\`\`\`${language}\\n([^]*?)\`\`\``).exec(page)?.[1];
  if (code === undefined) throw new Error(`there is no sample in ${language} below ${heading}`);
  return code;
}

/** Whether a program can be run here, with these arguments. */
export function isThere(command: string, given: string[] = ['--version']): boolean {
  try {
    execFileSync(command, given, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
