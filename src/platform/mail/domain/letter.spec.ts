import { describe, expect, it } from '@jest/globals';
import { nameInMail, renderLetter } from './letter.js';

describe(renderLetter.name, () => {
  const letter = {
    subject: 'Hello\r\nBcc: eve@example.com',
    paragraphs: ['A <b>bold</b> & "quoted" one.', { label: 'Open', url: 'https://x.example/a?b=1&c=2' }],
    reason: 'You received this email because of <a test>.',
  };

  it('writes text and HTML from one letter', () => {
    const { text, html } = renderLetter(letter);
    expect(text).toBe(
      'A <b>bold</b> & "quoted" one.\n\nOpen:\nhttps://x.example/a?b=1&c=2\n\n-- \nService\nYou received this email because of <a test>.\n',
    );
    expect(html).toMatch(/<p [^>]*>A &lt;b&gt;bold&lt;\/b&gt; &amp; &quot;quoted&quot; one\.<\/p>/);
    expect(html).toMatch(/<a href="https:\/\/x\.example\/a\?b=1&amp;c=2" [^>]*>Open<\/a>/);
    expect(html).toMatch(/<p [^>]*>You received this email because of &lt;a test&gt;\.<\/p>/);
  });

  it('loads nothing from elsewhere, and has no address but that of its link', () => {
    const { html } = renderLetter(letter);
    expect(html).not.toMatch(/<img|<link|url\(|@import|<script|background=/i);
    expect([...html.matchAll(/https?:\/\/[^"<\s]+/g)].map(([url]) => url)).toEqual(
      Array<string>(3).fill('https://x.example/a?b=1&amp;c=2'),
    );
  });

  it('is in the language of its recipient', () => {
    expect(renderLetter(letter).html).toMatch(/<html lang="en">[^]*copy this address/);
    expect(renderLetter(letter, 'de').html).toMatch(/<html lang="de">[^]*kopieren Sie diese Adresse/);
  });

  it('keeps a subject on one line', () => {
    expect(renderLetter(letter).subject).toBe('Hello Bcc: eve@example.com');
  });
});

describe(nameInMail.name, () => {
  it.each([
    ['Ada', 'Ada'],
    [' Ada\nLovelace ', 'Ada Lovelace'],
    ['\u202Eadvertisement', 'advertisement'],
    ['x'.repeat(40), 'x'.repeat(40)],
    ['x'.repeat(41), `${'x'.repeat(39)}…`],
    ['Visit https://evil.example/login now', 'Visit evil example login now'],
    ['www.evil.example', 'www evil example'],
    ['ada@evil.example', 'ada evil example'],
    ['Tea Shop Ltd.', 'Tea Shop Ltd.'],
    ['a "quoted" name', 'a quoted name'],
  ])('shows %j as %j', (name, shown) => {
    expect(nameInMail(name)).toBe(shown);
  });
});
