import { Checkbox } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ProjectStatusResponse } from '../../client/types.gen';
import { Avatar } from '../../shared/avatar';
import { SearchField } from '../../shared/search-field';
import { searchWords } from '../../shared/search-words';
import { VisibleText } from '../../shared/visible-text';
import { t } from '../../i18n/i18n';
import './project-checklist.css';

/** Selects some of many projects; "Select all" selects the projects that the search finds. */
export function ProjectChecklist<P extends Pick<ProjectStatusResponse, 'id' | 'name' | 'domains'>>(props: {
  label: string;
  projects: readonly P[];
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
  /** The project's state, at the end of a row. */
  state: (project: P) => ReactNode;
  /** In a row, below the project. */
  details: (project: P) => ReactNode;
}) {
  const { projects, chosen, onChange } = props;
  const [search, setSearch] = useState('');
  const matches = searchWords(search);
  const found = projects.filter(({ name, domains }) => matches(name, ...domains));
  const chosenFound = found.filter(({ id }) => chosen.has(id)).length;
  const toggle = (toggled: readonly P[], isOn: boolean) => {
    const next = new Set(chosen);
    for (const { id } of toggled) {
      if (isOn) next.add(id);
      else next.delete(id);
    }
    onChange(next);
  };
  return (
    <div className="project-checklist">
      <div className="project-checklist-head">
        <Checkbox
          label={t('projects.selectAll')}
          checked={found.length > 0 && chosenFound === found.length}
          indeterminate={chosenFound > 0 && chosenFound < found.length}
          disabled={found.length === 0}
          onChange={(event) => toggle(found, event.currentTarget.checked)}
        />
        <span className="project-checklist-count" role="status">
          {t('projects.selected', { count: chosen.size, all: projects.length })}
        </span>
        <SearchField
          aria-label={t('projects.find')}
          placeholder={t('projects.search')}
          rightSection={null}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      <ul className="plain-list" aria-label={props.label}>
        {found.map((project) => (
          <li key={project.id}>
            <div className="project-checklist-row">
              <Checkbox
                label={
                  <>
                    <Avatar name={project.name} />
                    <span>
                      <VisibleText text={project.name} />
                      <small>{project.domains[0]}</small>
                    </span>
                  </>
                }
                checked={chosen.has(project.id)}
                onChange={(event) => toggle([project], event.currentTarget.checked)}
              />
              {props.state(project)}
            </div>
            {props.details(project)}
          </li>
        ))}
        {found.length === 0 && <li className="project-checklist-none">{t('projects.noneMatch')}</li>}
      </ul>
    </div>
  );
}
