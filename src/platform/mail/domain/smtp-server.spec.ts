import { describe, expect, it } from '@jest/globals';
import { parseSmtpServer } from './smtp-server.js';

describe(parseSmtpServer.name, () => {
  it.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, encryption: 'offered' }],
    ['smtp://mail.example.com:25', { port: 25, encryption: 'offered' }],
    ['smtps://mail.example.com', { port: 465, encryption: 'implicit' }],
    ['smtps://mail.example.com:2465/', { port: 2465, encryption: 'implicit' }],
    ['smtp://u:p@mail.example.com', { encryption: 'required', credentials: { user: 'u', password: 'p' } }],
    [
      'smtp://a%40b.example:p%2Fq@mail.example.com',
      { credentials: { user: 'a@b.example', password: 'p/q' } },
    ],
    ['smtp://localhost:25', { encryption: 'none' }],
    ['smtp://u:p@127.0.0.1:25', { encryption: 'none' }],
    ['smtp://[::1]:25', { host: '::1', encryption: 'none' }],
    ['smtps://127.0.0.1', { encryption: 'implicit' }],
    // A name that begins like a loopback address may be any machine's.
    ['smtp://127.0.0.1.example.com', { encryption: 'offered' }],
  ])('reads %s', (url, expected) => {
    expect(parseSmtpServer(url)).toMatchObject(expected);
  });

  it.each([
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp://mail.example.com/path',
    'smtp://mail.example.com?tls=none',
    'smtp://mail.example.com#x',
    'smtp://user@mail.example.com',
    'smtp://:password@mail.example.com',
    'smtp://%zz:p@mail.example.com',
  ])('refuses %s', (url) => {
    expect(parseSmtpServer(url)).toBeNull();
  });
});
