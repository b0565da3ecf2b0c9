import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Json } from '../people/json.js';
import { until } from '../until.js';

/** A command block of a document, and the sample of its output that follows it, if any. */
export interface Step {
  commands: string;
  sample: Json | null;
}

/** The `sh` blocks of a document below a heading, in their order, each with the `json` block behind it. */
export function stepsIn(document: string, heading: string): Step[] {
  const text = readFileSync(document, 'utf8');
  const start = text.indexOf(`\n## ${heading}\n`);
  if (start < 0) throw new Error(`${document} has no heading "${heading}".`);
  const section = text.slice(start + 1).split(/\n(?=## )/)[0] ?? '';
  const steps: Step[] = [];
  for (const [, language, code = ''] of section.matchAll(/^```(sh|json)\n([\s\S]*?)^```$/gm)) {
    const last = steps.at(-1);
    if (language === 'sh') steps.push({ commands: code, sample: null });
    else if (last) last.sample = JSON.parse(code) as Json;
  }
  return steps;
}

/** One shell, like a user's terminal: a block can use the variables of earlier ones. */
export class Shell {
  private readonly child: ChildProcess;
  private output = '';

  constructor(folder: string) {
    this.child = spawn('sh', ['-s'], {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
  }

  /** The output of the commands, both streams. */
  async run(commands: string): Promise<string> {
    const end = `end-of-block-${Math.random()}`;
    this.output = '';
    this.child.stdin?.write(`${commands}\nprintf '\\n%s\\n' ${end}\n`);
    await until(`the shell is done with ${commands}`, () => this.output.includes(end));
    return this.output.slice(0, this.output.indexOf(end)).trim();
  }

  close(): void {
    this.child.kill('SIGKILL');
  }
}

/** The paths of a value's members, including members of the first item of a list. */
export function membersOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.length > 0 ? membersOf(value[0], `${path}[]`) : [`${path}[]`];
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => membersOf(member, `${path}.${name}`));
}
