import { describe, expect, it } from '@jest/globals';
import { HTML_ADDRESSES_MAX, htmlAddresses } from './html-addresses.js';

const PAGE = 'https://shop.example/cart';
const found = (html: string, ...policies: string[]): string[] => htmlAddresses(html, PAGE, policies);

describe('addresses that the HTML requests', () => {
  it.each([
    ['a script', '<script async src="https://ads.example/tag.js?id=1"></script>'],
    ['a module', '<script type=module src=https://ads.example/tag.js></script>'],
    ['a script without a scheme', '<SCRIPT SRC="//ads.example/tag.js"></SCRIPT>'],
    ['an image', '<p>1 < 2<img src="https://ads.example/tag.js">'],
    ['an image for some screens', '<img srcset="/own.png 1x, https://ads.example/tag.js 2x">'],
    ['a frame', '<iframe src="https://ads.example/tag.js"></iframe>'],
    ['a style sheet', '<link rel="stylesheet" href="https://ads.example/tag.js">'],
    ['a preload', '<link rel=preload as=script href="https://ads.example/tag.js">'],
    ['a poster', '<video poster="https://ads.example/tag.js"></video>'],
    ['an object', '<object data="https://ads.example/tag.js"></object>'],
    ['an image button', '<input type="image" src="https://ads.example/tag.js">'],
    ['a base', '<base href="https://ads.example/"><script src="tag.js"></script>'],
    ['what follows inert content', '<noscript><p></noscript><img src="https://ads.example/tag.js">'],
    ['what follows a script', '<SCRIPT></SCRIPT></html><img src="https://ads.example/tag.js">'],
  ])('include those of %s', (_, html) => {
    expect(found(html)).toEqual(['ads.example/tag.js']);
  });

  it.each([
    ['the own host', '<script src="/own.js"></script><img src="https://shop.example:8443/x.png">'],
    ['a waiting script', '<script type="text/plain" data-src="https://ads.example/tag.js"></script>'],
    ['a script of another type', '<script type="text/plain" src="https://ads.example/tag.js"></script>'],
    ['a waiting frame', '<iframe data-category="marketing" data-src="https://ads.example/"></iframe>'],
    ['a comment', '<!-- <script src="https://ads.example/tag.js"></script> -->'],
    ['text of a script', `<script>const tag = '<img src="https://ads.example/">';</script>`],
    ['noscript', '<noscript><img src="https://ads.example/"></noscript>'],
    ['a template', '<template><p><img src="https://ads.example/"></template>'],
    ['a link', '<a href="https://ads.example/">x</a><link rel="canonical" href="https://ads.example/">'],
    ['data', '<img src="data:image/gif;base64,AAAA"><img src="http://[">'],
  ])('exclude those of %s', (_, html) => {
    expect(found(html)).toEqual([]);
  });

  it('are limited, also in pages without end', () => {
    const many = Array.from({ length: 300 }, (_, n) => `<img src="https://ads.example/${n}">`).join('');
    expect(found(many)).toHaveLength(HTML_ADDRESSES_MAX);
    const deep = `<img src="https://ads.example/first">${'<a>'.repeat(500_000)}${'</b>'.repeat(100_000)}`;
    expect(found(deep)).toEqual(['ads.example/first']);
    const endless = `<img src="https://ads.example/first"><p title="${'x'.repeat(3_000_000)}`;
    expect(found(endless)).toEqual(['ads.example/first']);
  });
});

describe('a policy', () => {
  const SCRIPT = '<script src="https://cdn.ads.example/js/tag.js"></script>';
  const isStopped = (policy: string, html = SCRIPT): boolean => found(html, policy).length === 0;

  it.each([
    ["default-src 'self'"],
    ["default-src 'none'; img-src *"],
    ["script-src 'self' https://shop.example *.other.example"],
    ["script-src 'self'; script-src *"],
    ["script-src-elem 'self'; script-src *"],
    ['script-src ads.example'],
    ['script-src cdn.ads.example:8443'],
    ['script-src cdn.ads.example/css/'],
    ['script-src cdn.ads.example/js'],
    ["script-src https: 'strict-dynamic' 'nonce-a1'"],
    ['SCRIPT-SRC'],
  ])('stops a script: %s', (policy) => {
    expect(isStopped(policy)).toBe(true);
  });

  it.each([
    ["img-src 'self'; frame-src 'none'"],
    ['default-src *'],
    ['default-src https:'],
    ['script-src http://cdn.ads.example:80'],
    ['script-src *.ads.example'],
    ['script-src *.ads.example:*'],
    ['script-src cdn.ads.example/js/'],
    ['script-src cdn.ads.example/js/tag.js'],
    ["default-src 'none'; script-src CDN.ads.example"],
    [''],
  ])('does not stop it: %s', (policy) => {
    expect(isStopped(policy)).toBe(false);
  });

  it('stops nothing that has its nonce', () => {
    const html = SCRIPT.replace('src', 'nonce="a1" src');
    expect(isStopped("script-src 'strict-dynamic' 'nonce-a1'", html)).toBe(false);
    expect(isStopped("script-src 'nonce-b2'", html)).toBe(true);
    expect(isStopped("img-src 'nonce-a1'", '<img nonce="a1" src="https://ads.example/">')).toBe(true);
  });

  it('stops what any of several stops, and one of a meta element what follows it', () => {
    expect(found(SCRIPT, 'default-src *', "script-src 'self'")).toEqual([]);
    const meta = `<meta http-equiv="Content-Security-Policy" content="img-src 'self'">`;
    expect(
      found(`<img src="https://ads.example/before">${meta}<img src="https://ads.example/after">`),
    ).toEqual(['ads.example/before']);
  });

  it.each([
    ['frame-src', '<iframe src="https://ads.example/"></iframe>'],
    ['child-src', '<iframe src="https://ads.example/"></iframe>'],
    ['style-src', '<link rel="stylesheet" href="https://ads.example/">'],
    ['img-src', '<img src="https://ads.example/">'],
    ['media-src', '<audio src="https://ads.example/"></audio>'],
    ['object-src', '<embed src="https://ads.example/">'],
    ['font-src', '<link rel="preload" as="font" href="https://ads.example/">'],
    ['connect-src', '<link rel="preload" as="fetch" href="https://ads.example/">'],
  ])('stops by %s', (directive, html) => {
    expect(isStopped(`${directive} 'self'`, html)).toBe(true);
    expect(isStopped("worker-src 'self'", html)).toBe(false);
  });
});
