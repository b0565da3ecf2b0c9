/** Words in a language that is written the other way, inside the banner: without isolation their punctuation moves. */
import { element } from './element';

const LETTER = /\p{L}/u;
/** Hebrew, Arabic and their neighbours, with their presentation forms. */
const RIGHT_TO_LEFT_LETTER = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Puts each text without a letter of the frame's direction into a `<bdi>`. */
export function isolateForeignText(parent: Element, isRightToLeft: boolean): void {
  for (const node of Array.from(parent.childNodes)) {
    if (node instanceof Element) isolateForeignText(node, isRightToLeft);
    // A layer may be shown twice.
    else if (parent.localName !== 'bdi' && isForeign(node.textContent ?? '', isRightToLeft)) {
      const isolated = element('bdi', '');
      parent.replaceChild(isolated, node);
      isolated.append(node);
    }
  }
}

const isForeign = (text: string, isRightToLeft: boolean): boolean =>
  LETTER.test(text) && RIGHT_TO_LEFT_LETTER.test(text) !== isRightToLeft;
