/** Backgrounds of our banner, light and dark (loader/banner/banner.css). */
export const BANNER_BACKGROUNDS = { light: '#ffffff', dark: '#1b2027' } as const;
/** WCAG 2.2's minimum for text (1.4.3), since the accent is also the color of links. */
export const CONTRAST_MIN = 4.5;

export const COLOR = /^#[0-9a-f]{6}$/i;

/** The contrast of two colours `#rrggbb` after WCAG 2.2: from 1 (the same) to 21 (black on white). */
export function contrastOf(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Relative luminance, 0 to 1. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
