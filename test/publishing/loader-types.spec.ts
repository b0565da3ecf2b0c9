import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import ts from 'typescript';

const TYPES = join('loader', 'service-consent.d.ts');

/** The compiler's output for a page's script, with our types and the browser's. */
function complaints(script: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'loader-types-'));
  const file = join(folder, 'page.ts');
  writeFileSync(file, script);
  const program = ts.createProgram([file, TYPES], {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    types: [],
  });
  const found = ts.getPreEmitDiagnostics(program);
  rmSync(folder, { recursive: true });
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

it('the types for a site compile, know what the loader has, and nothing else', () => {
  const page = `
    document.addEventListener('serviceConsent:choice', ({ detail }) => detail.tookMs.toFixed());
    async function choose(): Promise<string | null> {
      const { serviceConsent } = window;
      if (!serviceConsent) return null;
      const { isEu, features } = await serviceConsent.ready;
      if (serviceConsent.mode === 'notice' || features['analytics'] === isEu) await serviceConsent.open();
      if (serviceConsent.choice?.analytics) return serviceConsent.choice.id ?? null;
      const choice = { analytics: true, offered: ['analytics'], surface: 'banner', shop: 'a' } as const;
      const { id, stored } = await serviceConsent.submit(choice);
      return stored ? id : null;
    }
    void choose();
    // @ts-expect-error -- a flag is true or false
    void window.serviceConsent?.submit({ analytics: 'yes' });
    // @ts-expect-error -- a tier is read-only
    if (window.serviceMeta) window.serviceMeta.tier = 'pro';`;
  expect(complaints(page)).toEqual([]);
});
