import { Link } from '@tanstack/react-router';
import type { ConsentView } from '../../client/types.gen';
import { TruncatedText } from '../../shared/truncated-text';
import { CopyId } from '../../shared/copy-id';
import type { Column } from '../../shared/infinite-table';
import { VisuallyHidden } from '../../shared/visually-hidden';
import { RelativeTime } from '../../shared/timestamps';
import { t, translateCode } from '../../i18n/i18n';
import { Categories } from './categories';

/** Columns of record lists. A function, because shared modules are evaluated before the language is loaded. */
export const consentColumns = (): Column<ConsentView>[] => [
  {
    title: t('consents.received'),
    cell: ({ id, receivedAt }) => (
      <Link
        to="."
        search={(search) => ({ ...search, open: id })}
        className="row-link"
        onClick={(event) => event.stopPropagation()}
      >
        <RelativeTime at={receivedAt} />
        <VisuallyHidden>{t('consents.openRecord')}</VisuallyHidden>
      </Link>
    ),
  },
  {
    title: t('consents.action'),
    cell: ({ action }) => <TruncatedText text={translateCode('actions', action) ?? action} />,
  },
  { title: t('consents.categories'), cell: (record) => <Categories record={record} /> },
  { title: t('consents.host'), cell: ({ hostname }) => <TruncatedText text={hostname ?? '–'} /> },
  { title: t('consents.id'), cell: ({ id }) => <CopyId id={id} /> },
];
