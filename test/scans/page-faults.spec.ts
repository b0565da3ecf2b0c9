import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { PageFaults } from '../../src/scanner/run/page-faults.js';
import { PAGE_FAULTS_MAX } from '../../src/modules/scans/domain/scan-limits.js';

it('keeps the process alive after exceptions that nothing catches, until it is told to stop', () => {
  const program = `
    const { catchFaults } = await import('./src/scanner/run/page-faults.ts');
    const caught = [];
    const stop = catchFaults((error) => caught.push(error.message));
    setTimeout(() => { throw new Error('thrown'); });
    void Promise.reject(new Error('rejected'));
    setTimeout(() => { stop(); console.log(caught.join()); }, 100);
  `;
  const options = ['--import', './test/support/typescript.mjs', '--input-type=module', '--eval', program];
  expect(execFileSync(process.execPath, options, { encoding: 'utf8' }).trim()).toBe('rejected,thrown');
});

it('counts one exception of a page, and too many with the third page', () => {
  const lines: string[] = [];
  const faults = new PageFaults((line) => lines.push(line));
  expect(faults.take()).toBe(false);
  for (let page = 1; page <= PAGE_FAULTS_MAX; page += 1) {
    expect(faults.areTooMany).toBe(false);
    const { signal } = faults;
    faults.report(new Error('first'));
    faults.report(new Error('second'));
    expect(signal.aborted).toBe(true);
    expect(faults.take()).toBe(true);
    expect(faults.take()).toBe(false);
  }
  expect(faults.areTooMany).toBe(true);
  expect(lines).toHaveLength(2 * PAGE_FAULTS_MAX);
});
