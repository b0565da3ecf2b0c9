/** A program of a document: its heading and its code. */
export interface Sample {
  title: string;
  code: string;
}

/** The programs of the part "Samples" of a Markdown document: each third-level heading with the first block of code below it. */
export function parseSamples(markdown: string): Sample[] {
  const [, part = ''] = /^## Samples$(.*?)(?=^## )/ms.exec(markdown) ?? [];
  return part
    .split(/^### /m)
    .slice(1)
    .flatMap((part) => {
      const title = part.slice(0, part.indexOf('\n')).trim();
      const code = /^```\w+\n(.*?)^```$/ms.exec(part)?.[1];
      return code === undefined ? [] : [{ title, code }];
    });
}
