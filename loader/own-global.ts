/**
 * A global that a script has set; false where there is none, or where an element of that id or name, which
 * visitors may write into a page, only looks like one. Such elements are no own properties of the window.
 */
export const ownGlobal = (name: string): unknown =>
  Object.prototype.hasOwnProperty.call(window, name) && (window as unknown as Record<string, unknown>)[name];
