/**
 * A member of the document itself, bound to it. Named elements, which visitors may write into a page, shadow the
 * document's own members (`<img name="createElement">`).
 */
export const pristineDocument = <K extends keyof Document>(name: K): Document[K] => {
  const member: unknown = Reflect.get(Document.prototype, name, document);
  return ((member as { bind?(to: Document): unknown } | null)?.bind?.(document) ?? member) as Document[K];
};
