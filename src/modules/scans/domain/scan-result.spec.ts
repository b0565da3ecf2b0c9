import { describe, expect, it } from '@jest/globals';
import { FINDING_KINDS } from './finding.js';
import { worstProblem } from './scan-result.js';

describe('worstProblem', () => {
  it('is the kind that comes first, in any order', () => {
    const [refusal, before] = [
      { kind: 'after_refusal', cookies: 9, services: 0 },
      { kind: 'before_consent', cookies: 1, services: 0 },
    ] as const;
    expect(worstProblem([refusal, before])).toBe(before);
    expect(worstProblem([before, refusal])).toBe(before);
    expect(worstProblem([refusal])).toBe(refusal);
  });

  it('knows the place of every kind, and is null without problems', () => {
    for (const kind of FINDING_KINDS) {
      const last = { kind: 'fingerprinting', cookies: 0, services: 0 } as const;
      const problem = { kind, cookies: 1, services: 0 };
      expect(worstProblem([last, problem])?.kind).toBe(kind);
    }
    expect(worstProblem([])).toBeNull();
  });
});
