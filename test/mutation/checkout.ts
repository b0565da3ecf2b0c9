import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Mutation, mutatedSources } from '../support/rules/mutation.js';

/** Longest that the tests of one defect may take. */
const RUN_MAX_MS = 10 * 60_000;

export interface TestRun {
  tests: string[];
  project?: string;
  /** Pattern of the tests' names, where not all of the files are meant. */
  only: string | undefined;
}

/** A copy of this checkout, in which defects are planted, so that an interrupted run leaves none behind. */
export class Checkout {
  private readonly passed = new Map<string, boolean>();
  private readonly originals = new Map<string, string>();

  private constructor(private readonly folder: string) {}

  static copy(): Checkout {
    const folder = mkdtempSync(join(tmpdir(), 'consent-mutation-'));
    chmodSync(folder, 0o755);
    const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
      encoding: 'utf8',
    });
    for (const file of new Set(listed.split('\0').filter(Boolean))) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      cpSync(file, join(folder, file), { force: true });
    }
    symlinkSync(realpathSync('node_modules'), join(folder, 'node_modules'));
    return new Checkout(folder);
  }

  /** Whether the tests pass as long as nothing is planted; found out once for each. */
  passes(run: TestRun): boolean {
    const key = JSON.stringify(run);
    const known = this.passed.get(key);
    if (known !== undefined) return known;
    const { failed, broken, passed } = this.test(run);
    const passes = failed === 0 && broken === 0 && passed > 0;
    this.passed.set(key, passes);
    return passes;
  }

  mutate(mutations: Mutation[]): void {
    for (const [file, source] of mutatedSources(mutations, this.folder)) {
      this.originals.set(file, readFileSync(join(this.folder, file), 'utf8'));
      writeFileSync(join(this.folder, file), source);
    }
  }

  restore(): void {
    for (const [file, source] of this.originals) writeFileSync(join(this.folder, file), source);
    this.originals.clear();
  }

  /** Builds, and runs the tests: how many failed and passed, and how many files could not be run. */
  test({ tests, project, only }: TestRun): { failed: number; passed: number; broken: number } {
    const options = { cwd: this.folder, encoding: 'utf8', timeout: RUN_MAX_MS } as const;
    const built = spawnSync(process.execPath, [join('scripts', 'build.mjs')], options);
    if (built.status !== 0) throw new Error(`It does not build:\n${built.stderr}`);
    const report = join(this.folder, 'report.json');
    rmSync(report, { force: true });
    const filter = only === undefined ? [] : ['-t', only];
    const jest = join('node_modules', 'jest', 'bin', 'jest.js');
    spawnSync(
      process.execPath,
      // A test that fails may leave open what the others close.
      [
        jest,
        '--selectProjects',
        ...(project === undefined ? ['unit', 'slow'] : [project]),
        '--ci',
        '--forceExit',
        '--json',
        `--outputFile=${report}`,
        ...filter,
        ...tests,
      ],
      options,
    );
    const result = JSON.parse(readFileSync(report, 'utf8')) as Record<string, number>;
    return {
      failed: result['numFailedTests'] ?? 0,
      passed: result['numPassedTests'] ?? 0,
      broken: result['numRuntimeErrorTestSuites'] ?? 0,
    };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
