import { Link } from '@tanstack/react-router';
import type { ConsentView } from '../../client/types.gen';
import { Clipped } from '../../shared/clipped';
import { CopyId } from '../../shared/copy-id';
import type { Column } from '../../shared/endless-list';
import { HiddenText } from '../../shared/hidden-text';
import { When } from '../../shared/when';
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
        <When at={receivedAt} />
        <HiddenText>{t('consents.openRecord')}</HiddenText>
      </Link>
    ),
  },
  {
    title: t('consents.action'),
    cell: ({ action }) => <Clipped text={translateCode('actions', action) ?? action} />,
  },
  { title: t('consents.categories'), cell: (record) => <Categories record={record} /> },
  { title: t('consents.host'), cell: ({ hostname }) => <Clipped text={hostname ?? '–'} /> },
  { title: t('consents.id'), cell: ({ id }) => <CopyId id={id} /> },
];
