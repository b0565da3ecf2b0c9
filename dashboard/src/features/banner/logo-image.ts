import { LOGO_BYTES_MAX } from '../../../../src/modules/publishing/domain/publishing.limits.js';

/** Heights in pixels, the first of which makes a small enough file. The banner shows it about 36 high. */
const HEIGHTS = [80, 64, 48, 36];
const WIDTH_MAX = 480;
/** Size of a vector image that does not define one. */
const SIZE_DEFAULT = 300;

/** An image of any format that the browser can draw, as a small PNG; null where it cannot, or where it stays too large. */
export async function logoImage(file: File): Promise<string | null> {
  const image = new Image();
  try {
    image.src = await readDataUrl(file);
    await image.decode();
  } catch {
    return null;
  }
  const [width, height] = [image.naturalWidth || SIZE_DEFAULT, image.naturalHeight || SIZE_DEFAULT];
  for (const wanted of HEIGHTS) {
    const scale = Math.min(wanted / height, WIDTH_MAX / width);
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const url = canvas.toDataURL('image/png');
    if (sizeOf(url) <= LOGO_BYTES_MAX) return url;
  }
  return null;
}

/** Decoded size of a base64 `data:` URL in bytes. */
const sizeOf = (url: string): number => atob(url.slice(url.indexOf(',') + 1)).length;

function readDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'));
    reader.readAsDataURL(file);
  });
}
