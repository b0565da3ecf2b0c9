/**
 * A global that a script has set; false without one, or for an element with that id or name, which
 * visitors may add to a page. Such elements are not own properties of the window.
 */
export const ownGlobal = (name: string): unknown =>
  Object.prototype.hasOwnProperty.call(window, name) && (window as unknown as Record<string, unknown>)[name];
