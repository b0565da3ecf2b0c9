import { describe, expect, it } from '@jest/globals';
import { requestText } from './http-request.js';

describe(requestText.name, () => {
  const url = new URL('https://[2001:db8::1]:8443/hook/ä b?x=ü');

  it('is a POST for a connection that is kept, with the length of its body in bytes', () => {
    const text = requestText({ url, headers: ['X-A', 'b', 'X-C', ''], body: '{"page":"Über uns"}' });
    expect(text.split('\r\n')).toEqual([
      'POST /hook/%C3%A4%20b?x=%C3%BC HTTP/1.1',
      'Host: [2001:db8::1]:8443',
      'X-A: b',
      'X-C: ',
      'Connection: keep-alive',
      'Content-Length: 20',
      '',
      '{"page":"Über uns"}',
    ]);
  });

  it.each(['a\r\nX-Other: b', 'a\nb', 'a\0', 'ü', '\u2028'])(
    'lets no header be more than one: %j',
    (value) => {
      const make = () => requestText({ url, headers: ['X-A', value], body: '' });
      expect(make).toThrow('the header X-A contains invalid characters');
    },
  );
});
