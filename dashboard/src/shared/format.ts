import { t } from '../texts/texts';

/** Groups of three with thin spaces: 1 204. */
export function number(value: number): string {
  return grouped(String(Math.round(value)));
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, '\u2009');
}

/** A share of 0 to 1 in per cent; a dash where there is none. */
export function percent(share: number | null): string {
  return share === null
    ? '–'
    : `${new Intl.NumberFormat(t.language, { maximumFractionDigits: 1 }).format(share * 100)} %`;
}

/** Minor units as an amount of money. */
export function money(minor: number, currency: string): string {
  const digits = minor % 100 === 0 ? 0 : 2;
  return new Intl.NumberFormat(t.language, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(minor / 100);
}
