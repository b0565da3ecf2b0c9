import { describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { oneTimeLink } from './demo-sign-in.js';

/** Follows the link; returns where it leads, with the cookies. */
async function follow({ path, handler }: ReturnType<typeof oneTimeLink>): Promise<[string, string[]]> {
  const token = new URL(path, 'http://localhost').searchParams.get('token');
  const cookies: string[] = [];
  let location = '';
  const response = {
    setHeader: () => {},
    append: (_name: string, values: string[]) => void cookies.push(...values),
    redirect: (_status: number, to: string) => (location = to),
  };
  await handler(
    { query: { token }, ip: '127.0.0.1' } as unknown as Request,
    response as unknown as Response,
    () => {},
  );
  return [location, cookies];
}

describe(oneTimeLink.name, () => {
  it('signs in once', async () => {
    const link = oneTimeLink(() => Promise.resolve(['session=1']));
    expect(await follow(link)).toEqual(['/', ['session=1']]);
    expect(await follow(link)).toEqual(['/?demoLink=used', []]);
  });

  it('still works after a sign-in that failed', async () => {
    let times = 0;
    const link = oneTimeLink(() => {
      times += 1;
      return times === 1
        ? Promise.reject(new Error('the database is starting'))
        : Promise.resolve(['session=1']);
    });
    expect(await follow(link)).toEqual(['/?demoLink=failed', []]);
    expect(await follow(link)).toEqual(['/', ['session=1']]);
  });

  it('opens one session for two requests at once', async () => {
    let times = 0;
    const link = oneTimeLink(async () => {
      times += 1;
      await Promise.resolve();
      return ['session=1'];
    });
    const followed = await Promise.all([follow(link), follow(link)]);
    expect(followed).toEqual([
      ['/', ['session=1']],
      ['/?demoLink=used', []],
    ]);
    expect(times).toBe(1);
  });
});
