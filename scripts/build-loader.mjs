// Builds the loader, our banner and its preview (loader/) into loader/ of the build (dist, or the folder named), for every browser
// that knows ES2020. What they share with the service comes from the compiled service, so this runs after it is
// compiled.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { minifySync } from '@swc/core';
import { build, transformSync } from 'esbuild';

const out = resolve(process.argv[2] ?? 'dist');
const compiled = (file) => import(pathToFileURL(join(out, file)).href);
const { EU_GROUP, UNKNOWN_REGION } = await compiled('publishing/domain/region.js');
const { CONSENT_GLOBAL, META_GLOBAL, REGION_HEADER } = await compiled('shared/brand.js');

const library = dirname(
  createRequire(import.meta.url).resolve('vanilla-cookieconsent/dist/cookieconsent.css'),
);

async function bundle(entry, name, constants) {
  const { outputFiles } = await build({
    entryPoints: [join('loader', entry)],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2020',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    minifySyntax: true,
    // Leaves out "use strict": the sources are checked as strict, and it is 8 bytes.
    tsconfigRaw: { compilerOptions: { alwaysStrict: false } },
    plugins: [libraryWithoutHtml],
    define: Object.fromEntries(
      Object.entries(constants).map(([constant, value]) => [constant, JSON.stringify(value)]),
    ),
  });
  // esbuild's own minifier leaves 3 % more.
  const { code } = minifySync(outputFiles[0].text, {
    compress: { passes: 3, ecma: 2020, pure_getters: true, keep_fargs: false, toplevel: true },
    mangle: true,
    format: { ascii_only: true, comments: false },
    ecma: 2020,
  });
  mkdirSync(join(out, 'loader'), { recursive: true });
  writeFileSync(join(out, 'loader', name), code);
}

/** The library sets `innerHTML`, which takes HTML and which Trusted Types forbid: see loader/banner/library-shims.ts. */
const libraryWithoutHtml = {
  name: 'library-without-html',
  setup(pluginBuild) {
    pluginBuild.onResolve({ filter: /^vanilla-cookieconsent$/ }, () => ({
      path: join(library, 'cookieconsent.esm.js'),
    }));
    pluginBuild.onLoad({ filter: /cookieconsent\.esm\.js$/ }, ({ path }) => {
      const shims = JSON.stringify(resolve('loader', 'banner', 'library-shims.ts'));
      const source = readFileSync(path, 'utf8').replaceAll(/\.innerHTML=(?!=)/g, '[$content]=');
      if (/\.(?:innerHTML|outerHTML)\s*\+?=[^=]|document\.write/.test(source))
        throw new Error('vanilla-cookieconsent writes HTML in a way that the build does not know.');
      return {
        contents: `import { content as $content, document, localStorage, window } from ${shims};\n${source}`,
      };
    });
  },
};

await bundle('loader.ts', 'loader.js', {
  META_GLOBAL,
  CONSENT_GLOBAL,
  REGION_HEADER,
  UNKNOWN_REGION,
  EU_GROUP,
});
await bundle('banner/banner.ts', 'banner.js', {
  BANNER_CSS: bannerStyles(),
  CONSENT_GLOBAL,
  META_GLOBAL,
});
await bundle('preview/preview.ts', 'preview.js', { UNKNOWN_REGION, EU_GROUP });

/** The library's style without what we do not use, and ours. */
function bannerStyles() {
  const parts = ['base', 'consent-modal', 'preferences-modal'].map((part) =>
    readFileSync(join(library, 'css-components', `${part}.css`), 'utf8'),
  );
  const own = readFileSync(join('loader', 'banner', 'banner.css'), 'utf8');
  const unused =
    /table|badge|service|cloud|inline|wide|flip|pm--bar|link-group|links|cm__footer|cm--middle|cm--top|btn--close(?!.*pm)|disable--interaction/;
  const used = parts.join('').replaceAll(/([^{}]+)\{([^{}]*)\}/g, (rule, selectors, body) => {
    const kept = selectors.split(/,(?![^(]*\))/).filter((selector) => !unused.test(selector));
    return kept.length > 0 ? `${kept.join(',')}{${body}}` : '';
  });
  return transformSync(used.replaceAll(/@media[^{}]+\{\}/g, '') + own, {
    loader: 'css',
    minify: true,
  }).code.trim();
}
