"""The course: one folder per lesson, and what all lessons share.

A lesson's folder carries its notebook's number and the lesson's one word, `nb02_hang`. The word is also the name of its
samples' folder, of its claims' topic and of its tests' folder.

    quiz.toml         every text of its predictions and exercises
    answers.py        CLASSIFIERS: which outcome a result shows. JUDGES: whether an answer to an exercise is right
    claims*.py        CLAIMS: what the posts said about it, each with a measure and a judge
    experiments.py    what the page and the claims, a panel or a demo share
    panel.py          a Panel to choose a combination in, with its records in recorded/
    pictures.py       pictures that only this lesson needs
    demo.py           DEMO: its minute on stage
    templates/        Java files that its exercises edit
"""
