"""The committed notebooks and documents -> a static book in HTML; nothing is executed.

The sources of the book are laid out as the repository is, so that a link between two of its files holds in both:

    index.md, notebooks/index.md   the first page, the course's page               front.py
    notebooks/NN-*.ipynb           the pages of the course                         prepare.py
    reference/**/*.md              then and now, glossary, flags, samples, API     reference/
    docs/**/*.md                   architecture, sources, decisions                documents.py

`book.py` puts them into a folder and lets Sphinx make pages of them, with the settings of `conf.py`.
"""
