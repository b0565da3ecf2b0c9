/**
 * A member of the document itself, bound to it. An element of that name, which visitors may write into a page, stands
 * before the document's own members (`<img name="createElement">`).
 */
export const ofDocument = <K extends keyof Document>(name: K): Document[K] => {
  const member: unknown = Reflect.get(Document.prototype, name, document);
  return ((member as { bind?(to: Document): unknown } | null)?.bind?.(document) ?? member) as Document[K];
};
