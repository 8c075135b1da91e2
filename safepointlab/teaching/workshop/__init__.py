"""The committed notebooks -> a folder for a class: student pages, solutions, guide, agendas, handout, message.

    cells.py      a notebook's file -> its cells, their text, tags and saved outputs
    page.py       a notebook -> what a teacher has to know of it: parts and minutes, questions and answers, exercises
    answers.py    a notebook -> its questions with what came, its exercises with their solutions
    student.py    a notebook -> the page that a class gets: nothing was run, and nothing is given away
    guide.py      pages -> the instructor's guide, and the solutions apart
    agenda.py     agendas.toml and the pages -> what happens at which time
    jdk_map.py    this machine's JDKs -> which of them has what by default
    handout.py    the glossary and that map -> two printed pages
    document.py   Markdown -> one HTML page
    needs.py      what a class needs of a machine, each number once
    message.py    this machine's sizes and the agendas -> the message that goes out before the class
    folder.py     all of this -> the folder, whole or as it was before

Nothing is executed here, except that a JDK is asked once for its list of flags.
"""
