import { locale } from '../i18n/i18n';

/** A UTC day: the API stores no time of last use. */
export function Day({ day, none }: { day: string | null; none: string }) {
  if (day === null) return <>{none}</>;
  const text = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(
    new Date(day),
  );
  return (
    <time dateTime={day} title={`${day} (UTC)`}>
      {text}
    </time>
  );
}
