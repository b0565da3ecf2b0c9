import { Code } from '@mantine/core';

/** Long lines wrap, and a long text scrolls, so that the drawer keeps its width and the next attempt stays near. */
const STYLE = {
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  maxHeight: 320,
  overflowY: 'auto',
} as const;

/** A request or a response as text. It may come from strangers, so nothing in it is markup or a link. */
export function PlainText({ label, text }: { label: string; text: string }) {
  return (
    <Code block tabIndex={0} role="region" aria-label={label} style={STYLE}>
      {text}
    </Code>
  );
}
