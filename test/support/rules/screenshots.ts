import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { requireExtra } from '../programs/extras.js';

interface Image {
  width: number;
  height: number;
  data: Uint8Array;
}
interface Png {
  sync: { read(png: Uint8Array): Image; write(image: Image): Buffer };
  new (size: { width: number; height: number }): Image;
}
type Compare = (
  one: Uint8Array,
  other: Uint8Array,
  difference: Uint8Array,
  width: number,
  height: number,
) => number;

const { PNG } = requireExtra('pngjs') as { PNG: Png };
const { default: differingPixels } = (await import(
  pathToFileURL(requireExtra.resolve('pixelmatch')).href
)) as { default: Compare };

/** Versions of Chromium and of the system's monospaced font draw edges of letters differently. */
const DIFFERING_SHARE_MAX = 0.03;
/** Pixels by which a size may differ, for the same reason. */
const SIZE_DIFFERENCE_MAX = 2;

/**
 * Compares a screenshot with the one that is committed, and says how they differ. With UPDATE_SCREENSHOTS=1 it is
 * written instead. Of a difference, a picture is left beside the committed one (`*.difference.png`, not committed).
 */
export function differenceFrom(file: string, screenshot: Buffer): string | null {
  if (process.env.UPDATE_SCREENSHOTS === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, screenshot);
    return null;
  }
  if (!existsSync(file)) return `${file} is missing; run the suite with UPDATE_SCREENSHOTS=1`;
  const [expected, seen] = [PNG.sync.read(readFileSync(file)), PNG.sync.read(screenshot)];
  if (
    Math.abs(expected.width - seen.width) > SIZE_DIFFERENCE_MAX ||
    Math.abs(expected.height - seen.height) > SIZE_DIFFERENCE_MAX
  )
    return `${file} is ${expected.width} × ${expected.height} px, the page shows ${seen.width} × ${seen.height}`;
  const size = {
    width: Math.min(expected.width, seen.width),
    height: Math.min(expected.height, seen.height),
  };
  const difference = new PNG(size);
  const differing = differingPixels(
    cut(expected, size),
    cut(seen, size),
    difference.data,
    size.width,
    size.height,
  );
  const share = differing / (size.width * size.height);
  if (share <= DIFFERING_SHARE_MAX) return null;
  writeFileSync(file.replace(/\.png$/, '.difference.png'), PNG.sync.write(difference));
  return `${file}: ${(share * 100).toFixed(1)} % of the pixels differ`;
}

/** The pixels of the upper left part, four bytes each. */
function cut({ data, width }: Image, size: { width: number; height: number }): Uint8Array {
  if (width === size.width) return data.subarray(0, size.width * size.height * 4);
  const rows = Array.from({ length: size.height }, (_, y) =>
    data.subarray(y * width * 4, (y * width + size.width) * 4),
  );
  return Buffer.concat(rows);
}

/** Where screenshots of a suite are kept. */
export const screenshotFile = (folder: string, name: string) =>
  join(folder, `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.png`);
