import { NativeSelect } from '@mantine/core';
import { cookieDecide } from '../../client/sdk.gen';
import type { CookieResponse, DecideCookieBody } from '../../client/types.gen';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import './cookies.css';

type Category = NonNullable<DecideCookieBody['category']>;
const CATEGORIES: Category[] = ['necessary', 'preferences', 'analytics', 'marketing'];

/** The owner's decision on a cookie. Its first option says what holds without one. */
export function CategorySelect(props: { projectId: string; cookie: CookieResponse; disabled: boolean }) {
  const { projectId, cookie, disabled } = props;
  const { classification } = cookie;
  const mutation = useApiMutation({
    request: async (category: Category | null) =>
      (await cookieDecide({ path: { projectId, cookieId: cookie.id }, body: { category } })).data,
    successMessage: t('cookies.saved'),
    invalidates: ['cookieList', 'findingOfScan', 'findingList', 'scanRead', 'scanList'],
    notifiesError: true,
  });
  const decided = classification.source === 'decision' ? classification.category : null;
  return (
    <NativeSelect
      className="category-select"
      title={`${t('cookies.source')}: ${t(`cookies.sources.${classification.source}`)}`}
      aria-label={t('cookies.categoryOf', { name: cookieName(cookie) })}
      disabled={disabled || mutation.isPending}
      value={mutation.variables ?? decided ?? ''}
      onChange={({ currentTarget: { value } }) =>
        mutation.mutate(CATEGORIES.find((category) => category === value) ?? null)
      }
      data={[
        { value: '', label: withoutDecision(cookie) },
        ...CATEGORIES.map((value) => ({ value, label: t(`cookies.categories.${value}`) })),
      ]}
    />
  );
}

export function cookieName({ name, host }: CookieResponse): string {
  return name === '' ? host : name;
}

function withoutDecision({
  classification: { category, source, certainty, proposed },
}: CookieResponse): string {
  if (source === 'decision') return t('cookies.noDecision');
  const [first] = proposed;
  if (category === null)
    return first === undefined
      ? t('cookies.unknown')
      : t('cookies.proposed', { category: t(`cookies.categories.${first}`) });
  const name = t(`cookies.categories.${category}`);
  return certainty === 'guess' ? t('cookies.guess', { name }) : name;
}
