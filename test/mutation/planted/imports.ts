import type { Planted } from '../planted.js';

const E2E = 'test/imports/import.e2e';

export const IMPORT_DEFECTS: Planted[] = [
  {
    name: 'imports: an erased consent is stored again',
    mutations: [{ symbol: 'insertImported', from: /from judged where not erased/, to: 'from judged' }],
    tests: [E2E],
    only: 'was erased',
  },
  {
    name: 'imports: other content under the same id is no conflict',
    mutations: [{ symbol: 'OUTCOME', from: /else 'conflict' end/, to: "else 'repeated' end" }],
    tests: [E2E],
    only: 'a second time',
  },
  {
    name: 'imports: imported records count in analytics',
    mutations: [{ symbol: 'choicesOf', from: / and c\.import_id is null/, to: '' }],
    tests: [E2E],
    only: 'no opt-in rate',
  },
  {
    name: 'imports: two consents of one visitor have one id',
    mutations: [{ symbol: 'importedId', from: /source\.originalId, ms\]/, to: 'source.originalId]' }],
    tests: ['src/modules/imports/domain/imported-id'],
  },
  {
    name: 'imports: one granted service grants its category',
    mutations: [
      {
        symbol: 'mapChoices',
        from: /\(states\.get\(target\) \?\? true\) && granted/,
        to: '(states.get(target) ?? false) || granted',
      },
    ],
    tests: ['src/modules/imports/domain/judge-rows'],
  },
  {
    name: 'imports: a consent is refused in its last month',
    mutations: [
      {
        symbol: 'judgeImportedRows',
        from: /givenAt < rules\.keptSince/,
        to: 'givenAt <= rules.keptSince',
      },
    ],
    tests: ['src/modules/imports/domain/judge-rows'],
  },
];
