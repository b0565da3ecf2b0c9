import { expect, it } from '@jest/globals';

/** The state of jest-circus; importing it would reset it. */
const symbol = Object.getOwnPropertySymbols(globalThis).find(
  ({ description }) => description === 'JEST_STATE_SYMBOL',
);

it('a test has the timeout of its project in jest.config.mjs', () => {
  const state = symbol && Reflect.get(globalThis, symbol);
  expect(state).toMatchObject({ testTimeout: 900_000 });
});
