import { contrastOf } from '../../publishing/domain/contrast.js';
import { PDF_COLORS } from '../../../platform/pdf/pdf-sheet.js';
import type { BannerText } from '../../publishing/domain/banner-text.js';
import type { SiteDocument } from '../../publishing/domain/document.js';

/** The words of a banner's first layer. */
interface FirstLayer {
  title: string;
  description: string;
  /** Equally prominent, as in the banner. */
  buttons: string[];
  /** The way to the second layer. */
  details: string;
}

/** The words that a visitor got, by the same rules as our banner (loader/banner/words.ts). */
export function firstLayer(
  { categories, services }: Pick<SiteDocument, 'categories' | 'services'>,
  text: BannerText,
  { surface, modes = {} }: { surface?: unknown; modes?: unknown },
): FirstLayer {
  const { labels, title, choose: details } = text;
  const partners = services.filter(({ category }) => (categories as string[]).includes(category)).length;
  const words = (heading: string | undefined, body: string | undefined, buttons: string[]): FirstLayer => ({
    title: heading ?? title,
    description: (body ?? text.description).replace('{partners}', String(partners)),
    buttons,
    details,
  });
  const both = [text.acceptAll, text.rejectAll];
  const optOut = [labels.optOutAccept ?? text.acceptAll, labels.optOutReject ?? text.rejectAll];
  if (surface === 'signal') return words(labels.signalTitle, labels.signalHonoured, optOut);
  const used = categories.map((key) => (modes as Record<string, unknown>)[key] ?? 'opt_in');
  if (used.includes('opt_in')) {
    const on = categories.filter((_, index) => used[index] !== 'opt_in');
    const titles = on.map((key) => text.categories.find((each) => each.key === key)?.title ?? key).join(', ');
    const note = on.length > 0 ? labels.mixedNote?.replace('{categories}', titles) : undefined;
    return words(title, note === undefined ? text.description : `${text.description} ${note}`, both);
  }
  if (used.includes('opt_out')) return words(labels.optOutTitle, labels.optOutDescription, optOut);
  return words(labels.noticeTitle, labels.noticeDescription, [labels.acknowledge ?? text.acceptAll]);
}

const PADDING = 12;
const LINES_MAX = 6;

/** Draws the first layer on an example of a page. Returns the lower edge. */
export function drawBanner(
  document: PDFKit.PDFDocument,
  picture: {
    x: number;
    y: number;
    width: number;
    layer: FirstLayer;
    accent: string;
    isDark: boolean;
    alt: string;
  },
): number {
  const { x, y, width, layer, accent, isDark, alt } = picture;
  const ink = isDark
    ? { page: '#12161b', block: '#2a323c', card: '#1b2027', text: '#eceff4' }
    : { page: '#f7f4ec', block: '#e6e0d0', card: '#ffffff', text: '#15181d' };
  const inner = width - 24 - 2 * PADDING;
  const { title, description, details } = layer;
  const measured = (text: string, size: number, font: string): number =>
    document.font(font).fontSize(size).heightOfString(text, { width: inner, lineGap: 1.5 });
  const titleHeight = Math.min(measured(title, 8.6, 'Helvetica-Bold'), 24);
  const textHeight = Math.min(measured(description, 7.2, 'Helvetica'), LINES_MAX * 10);
  const card = {
    x: x + 12,
    y: y + 22,
    width: width - 24,
    height: PADDING * 2 + titleHeight + 3 + textHeight + 8 + 21 + 16,
  };
  const height = card.height + 34;
  document.addStructure(
    document.struct('Figure', { alt }, () => {
      document.save().roundedRect(x, y, width, height, 4.5).clip();
      document.rect(x, y, width, height).fill(ink.page);
      document.rect(x + 20, y, width * 0.43, 70).fill(ink.block);
      document.rect(x + width * 0.55, y, width * 0.43, 84).fill(ink.block);
      document.restore();
      document.roundedRect(x, y, width, height, 4.5).lineWidth(0.75).stroke(PDF_COLORS.line);
      // A soft shadow as two outlines.
      document
        .roundedRect(card.x - 1, card.y, card.width + 2, card.height + 2, 8)
        .fillOpacity(0.08)
        .fill('#101828')
        .fillOpacity(1);
      document.roundedRect(card.x, card.y, card.width, card.height, 7).fill(ink.card);
      let top = card.y + PADDING;
      const left = card.x + PADDING;
      document
        .font('Helvetica-Bold')
        .fontSize(8.6)
        .fillColor(ink.text)
        .text(title, left, top, { width: inner, height: titleHeight, ellipsis: true, lineGap: 1.5 });
      top += titleHeight + 3;
      document.font('Helvetica').fontSize(7.2).fillColor(ink.text).text(description, left, top, {
        width: inner,
        height: textHeight,
        ellipsis: true,
        lineGap: 1.5,
      });
      top += textHeight + 8;
      const each = (inner - 5 * (layer.buttons.length - 1)) / layer.buttons.length;
      for (const [index, label] of layer.buttons.entries()) {
        const at = left + index * (each + 5);
        document.roundedRect(at, top, each, 21, 4.5).fill(accent);
        document.font('Helvetica-Bold').fontSize(7).fillColor(readableOn(accent));
        document.text(label, at + 3, top + 7.2, {
          width: each - 6,
          height: 9,
          align: 'center',
          ellipsis: true,
          lineBreak: false,
        });
      }
      document.font('Helvetica-Bold').fontSize(7).fillColor(ink.text);
      document.text(details, left, top + 28, {
        width: inner,
        height: 9,
        align: 'center',
        ellipsis: true,
        lineBreak: false,
      });
    }),
  );
  return y + height;
}

const readableOn = (color: string): string =>
  contrastOf(color, '#ffffff') >= contrastOf(color, '#15181d') ? '#ffffff' : '#15181d';
