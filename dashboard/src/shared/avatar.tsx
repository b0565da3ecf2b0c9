/** A name's initials on a color derived from the name, so that lists are quicker to scan. */
export function Avatar({ name }: { name: string }) {
  const hue = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7);
  return (
    <span
      className="avatar"
      aria-hidden
      data-initials={initials(name)}
      style={{ background: `oklch(93% 0.04 ${hue})`, color: `oklch(38% 0.1 ${hue})` }}
    />
  );
}

function initials(name: string): string {
  const words = name.split(/[\s._@-]+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const [first = name, second] = words;
  const letters = second === undefined ? [...first].slice(0, 2) : [[...first][0], [...second][0]];
  return letters.join('').toUpperCase();
}
