/** A name or an address that may be long, in a table: as much of it as leaves room for what stands beside it. */
export function Clipped({ text }: { text: string }) {
  return (
    <span className="sentence-cell narrow" title={text}>
      {text}
    </span>
  );
}
