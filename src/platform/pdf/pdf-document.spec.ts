import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { extractText, getDocumentProxy } from 'unpdf';
import { createPdf } from './pdf-document.js';

async function written(...lines: string[]): Promise<{ text: string; bytes: Buffer; hasReplaced: boolean }> {
  const document = createPdf({ size: 'A4', margin: 0 });
  for (const [at, line] of lines.entries())
    document
      .font(at % 2 === 0 ? 'Helvetica' : 'Helvetica-Bold')
      .fontSize(9)
      .text(line, 50, 50 + at * 30, { width: 400 });
  document.end();
  const bytes = await buffer(document);
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(bytes)), { mergePages: true });
  return { text, bytes, hasReplaced: document.hasReplaced };
}

describe('letters of a PDF', () => {
  it('are those of the standard fonts where these have them, so that nothing is embedded', async () => {
    const { text, bytes, hasReplaced } = await written('Café „Grün“ – 5\u202F€', 'Bold');
    expect(text).toContain('Café „Grün“ – 5 €');
    expect(bytes.includes('DejaVu')).toBe(false);
    expect(hasReplaced).toBe(false);
  });

  it.each([
    ['Polish', 'Herbaciarnia „Żółty liść” w Łodzi'],
    ['Greek', 'Το κατάστημα τσαγιού «Φύλλο»'],
    ['Cyrillic', 'Чайная лавка «Лист» сохраняет ваш выбор'],
  ])('are embedded for %s, and only these', async (_, line) => {
    const { text, bytes, hasReplaced } = await written(line, line, 'plain again');
    expect(text.split(line)).toHaveLength(3);
    expect(text).toContain('plain again');
    expect(bytes.length).toBeLessThan(40_000);
    expect(hasReplaced).toBe(false);
  });

  it('are shaped and go from right to left in Arabic, with numbers and names from left to right', async () => {
    const { text, hasReplaced } = await written('متجر الشاي 2026 (Tea)', 'Shop متجر الشاي GmbH');
    expect(text).toMatch(/متجر الشاي.*2026/);
    expect(text).toContain('Tea');
    expect(text).toMatch(/Shop\s[^]*GmbH[^]*متجر الشاي|Shop\s[^]*متجر الشاي[^]*GmbH/);
    expect(hasReplaced).toBe(false);
  });

  it('become question marks, and the document knows it, where no font has them', async () => {
    const { text, hasReplaced } = await written('茶葉店 is a tea shop', 'Чай 茶');
    expect(text).toContain('??? is a tea shop');
    expect(text).toContain('Чай ?');
    expect(hasReplaced).toBe(true);
  });
});
