import { expect, it } from '@jest/globals';
import { neutraliseCell } from './csv-cell.js';

it.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', "'\r=1"],
  ['www.example.com', 'www.example.com'],
  ['a=1', 'a=1'],
  [' =1', ' =1'],
  ['', ''],
])('%j becomes %j', (text, cell) => {
  expect(neutraliseCell(text)).toBe(cell);
});
